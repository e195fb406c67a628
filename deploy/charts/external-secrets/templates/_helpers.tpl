{{/*
Names and labels. Existing installations, selectors and healthChecks depend on every one of them:
change nothing here without a migration.
*/}}

{{- define "external-secrets.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "external-secrets.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 63 | trimSuffix "-" }}
{{- else }}
{{- $name := default .Chart.Name .Values.nameOverride }}
{{- if contains $name .Release.Name }}
{{- .Release.Name | trunc 63 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name $name | trunc 63 | trimSuffix "-" }}
{{- end }}
{{- end }}
{{- end }}

{{- define "external-secrets.namespace" -}}
{{- default .Release.Namespace .Values.namespaceOverride }}
{{- end }}

{{- define "external-secrets.chart" -}}
{{- printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- end }}

{{/* A name with a suffix that is never cut off: (list ROOT "-webhook") */}}
{{- define "external-secrets.suffixed" -}}
{{- $suffix := index . 1 }}
{{- printf "%s%s" (include "external-secrets.fullname" (index . 0) | trunc (int (sub 63 (len $suffix))) | trimSuffix "-") $suffix }}
{{- end }}

{{- define "external-secrets.webhookService" -}}
{{- include "external-secrets.suffixed" (list . "-webhook") }}
{{- end }}

{{/*
Everything that is done for each of the three components takes one of these:
  dict "root" $ "name" "controller|webhook|cert-controller" "values" VALUES-OF-THE-COMPONENT
*/}}
{{- define "external-secrets.selectorLabels" -}}
{{- $suffix := ternary "" (printf "-%s" .name) (eq .name "controller") -}}
app.kubernetes.io/name: {{ include "external-secrets.name" .root }}{{ $suffix }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
{{- end }}

{{/*
Labels of objects that belong to a component. With ServiceMonitors those of the webhook and of the certificate controller
say whose metrics they serve, and the monitors select by it.
*/}}
{{- define "external-secrets.labels" -}}
helm.sh/chart: {{ include "external-secrets.chart" .root }}
{{ include "external-secrets.selectorLabels" . }}
{{- with .root.Chart.AppVersion }}
app.kubernetes.io/version: {{ . | quote }}
{{- end }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
{{- with .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- if and (ne .name "controller") (include "external-secrets.serviceMonitors" .root) }}
app.kubernetes.io/metrics: {{ .name }}
{{- end }}
{{- end }}

{{/* Labels of workloads: pods can be found by component, selectors stay as they always were. */}}
{{- define "external-secrets.workloadLabels" -}}
{{ include "external-secrets.labels" . }}
app.kubernetes.io/component: {{ .name }}
{{- end }}

{{- define "external-secrets.serviceAccountName" -}}
{{- $own := ternary (include "external-secrets.fullname" .root) (printf "external-secrets-%s" .name) (eq .name "controller") }}
{{- if .values.serviceAccount.create }}
{{- default $own .values.serviceAccount.name }}
{{- else }}
{{- default "default" .values.serviceAccount.name }}
{{- end }}
{{- end }}

{{/* The namespace that the controller is limited to; empty means all. namespaceOverride moves the pods, not their work. */}}
{{- define "external-secrets.scope" -}}
{{- if .Values.scopedNamespace }}
{{- .Values.scopedNamespace }}
{{- else if .Values.scopedRBAC }}
{{- .Release.Namespace }}
{{- end }}
{{- end }}

{{/* Whether the webhook makes its certificate itself: nobody else was asked to. */}}
{{- define "external-secrets.webhookOwnsCertificate" -}}
{{- if and .Values.webhook.create (not .Values.webhook.certManager.enabled) (not .Values.certController.create) }}true{{ end }}
{{- end }}

{{- define "external-secrets.openshift" -}}
{{- $mode := .Values.global.compatibility.openshift.adaptSecurityContext }}
{{- if or (eq $mode "force") (and (eq $mode "auto") (.Capabilities.APIVersions.Has "security.openshift.io/v1")) }}true{{ end }}
{{- end }}

{{/* A security context without its own switch, and without what OpenShift assigns: (list ROOT CONTEXT) */}}
{{- define "external-secrets.securityContext" -}}
{{- $root := index . 0 }}
{{- $context := omit (index . 1) "enabled" }}
{{- if include "external-secrets.openshift" $root }}
{{- $context = omit $context "fsGroup" "runAsUser" "runAsGroup" }}
{{- if not $context.seLinuxOptions }}
{{- $context = omit $context "seLinuxOptions" }}
{{- end }}
{{- end }}
{{- toYaml $context }}
{{- end }}

{{/*
The image of a component. One without a repository of its own takes the controller's, with its tag. There is no default:
a name that nobody owns could be taken by anybody.
*/}}
{{- define "external-secrets.image" -}}
{{- $image := .values.image }}
{{- $main := .root.Values.image }}
{{- $global := .root.Values.global.repository }}
{{- $value := dict "controller" "image" "webhook" "webhook.image" "cert-controller" "certController.image" | dig .name "image" }}
{{- $repository := $global | default $image.repository | default $main.repository }}
{{- if not $repository }}
{{- fail "image.repository is not set: there is no default image. Set image.repository (or global.repository) to the repository that holds your Lockstep image, for example --set image.repository=registry.example.com/lockstep" }}
{{- end }}
{{- if hasSuffix "external-secrets/external-secrets" $repository }}
{{- $from := ternary "global.repository" (printf "%s.repository" (ternary $value "image" (not (empty $image.repository)))) (not (empty $global)) }}
{{- fail (printf "%s is %s: that is External Secrets Operator's image, which does not know this chart's CRDs and flags. Set it to the repository that holds your Lockstep image" $from $repository) }}
{{- end }}
{{- with $image.flavour }}
{{- fail (printf "%s.flavour is %s: Lockstep has no flavours, its one image has nothing but the program and certificates of authorities. Remove the value; a build of your own is named by %s.tag" $value . $value) }}
{{- end }}
{{- $tag := $image.tag }}
{{- if not $image.repository }}
{{- $tag = $tag | default $main.tag }}
{{- end }}
{{- printf "%s:%s" $repository ($tag | default .root.Chart.AppVersion) }}
{{- end }}

{{/* Extra arguments; `false` and `0` keep their value, only an empty one is a bare flag. */}}
{{- define "external-secrets.extraArgs" -}}
{{- range $key, $value := .values.extraArgs }}
{{- if or (kindIs "invalid" $value) (eq (toString $value) "") }}
- --{{ $key }}
{{- else if kindIs "float64" $value }}
- --{{ $key }}={{ ternary ($value | int64 | toString) (toString $value) (eq ($value | int64 | float64) $value) }}
{{- else }}
- --{{ $key }}={{ $value }}
{{- end }}
{{- end }}
{{- end }}

{{/* How every process serves its metrics. */}}
{{- define "external-secrets.metricsArgs" -}}
{{- with .values.metrics.listen }}
- --metrics-addr=:{{ .port }}
{{- if .auth.enabled }}
- --metrics-auth=true
{{- end }}
{{- if .secure.enabled }}
- --metrics-secure=true
- --metrics-cert-dir={{ .secure.certDir }}
- --metrics-cert-name={{ trimPrefix (printf "%s/" .secure.certDir) .secure.certFile }}
- --metrics-key-name={{ trimPrefix (printf "%s/" .secure.certDir) .secure.keyFile }}
{{- end }}
{{- end }}
{{- end }}

{{- define "external-secrets.logArgs" -}}
- --loglevel={{ .values.log.level }}
- --zap-time-encoding={{ .values.log.timeEncoding }}
{{- if .root.Values.enableHTTP2 }}
- --enable-http2=true
{{- end }}
{{- end }}

{{/* Whether ServiceMonitors are rendered. */}}
{{- define "external-secrets.serviceMonitors" -}}
{{- with .Values.serviceMonitor }}
{{- if .enabled }}
{{- $there := or ($.Capabilities.APIVersions.Has "monitoring.coreos.com/v1") ($.Capabilities.APIVersions.Has "monitoring.coreos.com/v1/ServiceMonitor") }}
{{- if or $there (eq .renderMode "alwaysRender") }}true
{{- else if eq .renderMode "failIfMissing" }}
{{- fail "serviceMonitor.enabled is true, but the cluster has no kind ServiceMonitor (monitoring.coreos.com/v1): install the Prometheus operator's CRDs first, or set serviceMonitor.renderMode to skipIfMissing" }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- define "external-secrets.ipFamilies" -}}
{{- with .Values.service.ipFamilyPolicy }}
ipFamilyPolicy: {{ . }}
{{- end }}
{{- with .Values.service.ipFamilies }}
ipFamilies:
{{- toYaml . | nindent 0 }}
{{- end }}
{{- end }}

{{/* What serving metrics to authenticated readers only takes. */}}
{{- define "external-secrets.metricsAuthRules" -}}
- apiGroups: [authentication.k8s.io]
  resources: [tokenreviews]
  verbs: [create]
- apiGroups: [authorization.k8s.io]
  resources: [subjectaccessreviews]
  verbs: [create]
{{- end }}

{{/*
Whether a CRD is ours to render: it is new, or this release has it. One that somebody else applied
(a CRD manifest beside the HelmRelease, kubectl) is left to them, or Helm 3 would refuse to install.
(list ROOT NAME)
*/}}
{{- define "external-secrets.rendersCRD" -}}
{{- $root := index . 0 }}
{{- $live := lookup "apiextensions.k8s.io/v1" "CustomResourceDefinition" "" (index . 1) }}
{{- $notes := dig "metadata" "annotations" (dict) $live }}
{{- $ours := and (eq (get $notes "meta.helm.sh/release-name") $root.Release.Name) (eq (get $notes "meta.helm.sh/release-namespace") $root.Release.Namespace) }}
{{- if or $root.Values.crds.takeOwnership (not $live) $ours }}true{{ end }}
{{- end }}

{{/*
A CRD of this release that is no longer rendered: Helm would delete it, and with it every object and Secret, unless it is kept.
The original chart does not mark its CRDs, so the first upgrade renders what is there, marked. (list ROOT NAME)
*/}}
{{- define "external-secrets.keptCRD" -}}
{{- $root := index . 0 }}
{{- /* Absent means true: --reuse-values brings the values of a chart that does not know it. */}}
{{- if and $root.Release.IsUpgrade (dig "keep" true $root.Values.crds) }}
{{- $live := lookup "apiextensions.k8s.io/v1" "CustomResourceDefinition" "" (index . 1) }}
{{- $notes := dig "metadata" "annotations" (dict) $live }}
{{- $ours := and (eq (get $notes "meta.helm.sh/release-name") $root.Release.Name) (eq (get $notes "meta.helm.sh/release-namespace") $root.Release.Namespace) }}
{{- if and $ours (ne (get $notes "helm.sh/resource-policy") "keep") }}
{{- $metadata := dict "name" (index . 1) "annotations" (dict "helm.sh/resource-policy" "keep") }}
{{- toYaml (dict "apiVersion" "apiextensions.k8s.io/v1" "kind" "CustomResourceDefinition" "metadata" $metadata "spec" $live.spec) }}
{{- end }}
{{- end }}
{{- end }}

{{/* Annotations of every CRD; `keep`, because a deleted CRD takes every object and Secret with it. */}}
{{- define "external-secrets.crdAnnotations" -}}
{{- $fixed := dict "controller-gen.kubebuilder.io/version" "v0.19.0" "helm.sh/resource-policy" "keep" }}
{{- toYaml (merge (dict) .Values.crds.annotations $fixed) }}
{{- end }}
