# The image of all three processes: one static binary on nothing, as a user without rights.
#   docker buildx build --platform linux/amd64,linux/arm64 --tag REPOSITORY:v2.9.0 --push .
FROM rust:1.95.0-alpine AS build
RUN apk add --no-cache musl-dev gcc make ca-certificates
# The image brings the compiler that the toolchain file asks for.
ENV RUSTUP_TOOLCHAIN=1.95.0
WORKDIR /src
COPY . .
# The build context holds no repository: --build-arg COMMIT=$(git rev-parse --short=12 HEAD)
ARG COMMIT=
ENV LOCKSTEP_COMMIT=$COMMIT
RUN cargo build --locked --release --package lockstep

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /src/target/release/lockstep /lockstep
USER 65532:65532
ENTRYPOINT ["/lockstep"]
