use super::*;

fn keys(session: &str) -> Keys {
    Keys {
        id: "ASIARD4OQDT6A77FR3CL".into(),
        secret: "Y8AfSaucF37G4PpvfguKZ3/l7Id4uocLXxX0+VTx".into(),
        session: session.into(),
    }
}

fn decoded(token: &SecretValue) -> serde_json::Value {
    let text = token.expose_utf8().unwrap();
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        if *first == b'%' {
            let hex = std::str::from_utf8(&tail[..2]).unwrap();
            bytes.push(u8::from_str_radix(hex, 16).unwrap());
            rest = &tail[2..];
        } else {
            bytes.push(*first);
            rest = tail;
        }
    }
    serde_json::from_slice(&bytes).unwrap()
}

/// The expected signature was made by botocore 1.x (`SigV4Auth`) from the same request.
#[test]
fn a_request_is_signed_as_the_library_of_aws_signs_it() {
    let time: Timestamp = "2020-08-11T06:55:22Z".parse().unwrap();

    let token = request("", "us-east-2", &keys("session"), "//pool", time).unwrap();

    assert_eq!(
        decoded(&token)["headers"][0]["value"],
        "AWS4-HMAC-SHA256 Credential=ASIARD4OQDT6A77FR3CL/20200811/us-east-2/sts/aws4_request, \
         SignedHeaders=host;x-amz-date;x-amz-security-token;x-goog-cloud-target-resource, \
         Signature=23e6cec0b3c230d0601fb8584602841c2735ee80af08300bb6502d5f2d8e895a"
    );
}

#[test]
fn the_request_names_the_audience_and_signs_every_header() {
    let time: Timestamp = "2020-08-11T06:55:22Z".parse().unwrap();

    let token = request("", "us-east-2", &keys("session"), "//pool", time).unwrap();

    let request = decoded(&token);
    assert_eq!(
        request["url"],
        "https://sts.us-east-2.amazonaws.com?Action=GetCallerIdentity&Version=2011-06-15"
    );
    let headers = request["headers"].as_array().unwrap();
    let header = |name: &str| {
        let found = headers.iter().find(|header| header["key"] == name).unwrap();
        found["value"].as_str().unwrap().to_owned()
    };
    assert_eq!(header("x-goog-cloud-target-resource"), "//pool");
    assert_eq!(header("x-amz-security-token"), "session");
    let authorization = header("Authorization");
    assert!(authorization.contains(
        "SignedHeaders=host;x-amz-date;x-amz-security-token;x-goog-cloud-target-resource"
    ));
    assert!(!authorization.contains("Y8AfSaucF37"));
}

#[test]
fn a_verification_url_with_a_path_is_refused() {
    let time = Timestamp::UNIX_EPOCH;

    let error = request("https://sts/x?y", "r", &keys(""), "a", time).unwrap_err();

    assert_eq!(error.kind(), &ErrorKind::InvalidSpec);
}
