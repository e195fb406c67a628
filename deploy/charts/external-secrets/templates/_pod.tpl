{{/* What the pods of all three components have in common; each takes a component dict. */}}

{{- define "external-secrets.podMetadata" -}}
{{- $global := .root.Values.global }}
{{- with .values.podAnnotations | default $global.podAnnotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
labels:
  {{- include "external-secrets.workloadLabels" . | nindent 2 }}
  {{- with .values.podLabels | default $global.podLabels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}

{{- define "external-secrets.podHead" -}}
{{- $global := .root.Values.global }}
{{- with .values.imagePullSecrets | default $global.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
serviceAccountName: {{ include "external-secrets.serviceAccountName" . }}
automountServiceAccountToken: {{ .values.serviceAccount.automount }}
{{- with .values.podSecurityContext }}
{{- if and .enabled (gt (len .) 1) }}
securityContext:
  {{- include "external-secrets.securityContext" (list $.root .) | nindent 2 }}
{{- end }}
{{- end }}
hostNetwork: {{ .values.hostNetwork }}
{{- if and (not (kindIs "invalid" .values.hostUsers)) (semverCompare ">=1.33-0" .root.Capabilities.KubeVersion.Version) }}
hostUsers: {{ .values.hostUsers }}
{{- end }}
{{- end }}

{{- define "external-secrets.podPlacement" -}}
{{- $component := . }}
{{- $global := .root.Values.global }}
{{- with .values.nodeSelector | default $global.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.affinity | default $global.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.tolerations | default $global.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.topologySpreadConstraints | default $global.topologySpreadConstraints }}
topologySpreadConstraints:
{{- range . }}
{{- $constraint := . }}
{{- if not .labelSelector }}
{{- $own := include "external-secrets.selectorLabels" $component | fromYaml }}
{{- $constraint = merge (dict "labelSelector" (dict "matchLabels" $own)) . }}
{{- end }}
{{- toYaml (list $constraint) | nindent 2 }}
{{- end }}
{{- end }}
{{- with .values.hostAliases | default $global.hostAliases }}
hostAliases:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- range $field := list "priorityClassName" "schedulerName" "runtimeClassName" }}
{{- with get $component.values $field }}
{{ $field }}: {{ . }}
{{- end }}
{{- end }}
{{- end }}

{{- define "external-secrets.containerHead" -}}
{{- with .values.securityContext }}
{{- if and .enabled (gt (len .) 1) }}
securityContext:
  {{- include "external-secrets.securityContext" (list $.root .) | nindent 2 }}
{{- end }}
{{- end }}
image: {{ include "external-secrets.image" . }}
imagePullPolicy: {{ .values.image.pullPolicy }}
{{- end }}

{{/* Probes of the webhook and the certificate controller: one port, two paths. */}}
{{- define "external-secrets.probes" -}}
{{- with .values.livenessProbe }}
{{- if .enabled }}
livenessProbe:
  httpGet:
    path: /healthz
    port: {{ .port }}
  {{- pick . "timeoutSeconds" "failureThreshold" "periodSeconds" "successThreshold" "initialDelaySeconds" | toYaml | nindent 2 }}
{{- end }}
{{- end }}
{{- with .values.readinessProbe }}
{{- if .enabled }}
readinessProbe:
  httpGet:
    path: /readyz
    port: ready
  {{- pick . "timeoutSeconds" "failureThreshold" "periodSeconds" "successThreshold" "initialDelaySeconds" | toYaml | nindent 2 }}
{{- end }}
{{- end }}
{{- with .values.startupProbe }}
{{- if .enabled }}
startupProbe:
  httpGet:
    path: /readyz
    port: ready
  {{- pick . "initialDelaySeconds" "periodSeconds" "failureThreshold" | toYaml | nindent 2 }}
{{- end }}
{{- end }}
{{- end }}

{{- define "external-secrets.containerTail" -}}
{{- with .values.extraEnv }}
env:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.resources }}
resources:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "external-secrets.deploymentHead" -}}
metadata:
  name: {{ include "external-secrets.fullname" .root }}{{ ternary "" (printf "-%s" .name) (eq .name "controller") }}
  namespace: {{ include "external-secrets.namespace" .root }}
  labels:
    {{- include "external-secrets.workloadLabels" . | nindent 4 }}
  {{- with .values.deploymentAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}

{{- define "external-secrets.deploymentShape" -}}
replicas: {{ .values.replicaCount }}
revisionHistoryLimit: {{ .values.revisionHistoryLimit }}
selector:
  matchLabels:
    {{- include "external-secrets.selectorLabels" . | nindent 4 }}
{{- with .values.strategy }}
strategy:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
