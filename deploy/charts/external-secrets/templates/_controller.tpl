{{/* The controller's own flags, in a fixed order; only what differs from the binary's default is said. */}}
{{- define "external-secrets.controllerArgs" -}}
{{- with .Values.concurrent }}
- --concurrent={{ . }}
{{- end }}
{{- if .Values.leaderElect }}
- --enable-leader-election=true
{{- end }}
{{- range $value, $flag := dict "leaderElectionID" "id" "leaderElectionLeaseDuration" "lease-duration" "leaderElectionRenewDeadline" "renew-deadline" "leaderElectionRetryPeriod" "retry-period" }}
{{- with get $.Values $value }}
- --leader-election-{{ $flag }}={{ . }}
{{- end }}
{{- end }}
{{- with .Values.controllerClass }}
- --controller-class={{ . }}
{{- end }}
{{- if .Values.extendedMetricLabels }}
- --enable-extended-metric-labels=true
{{- end }}
{{- if .Values.writeEveryRefresh }}
- --write-every-refresh=true
{{- end }}
{{- with include "external-secrets.scope" . }}
- --namespace={{ . }}
{{- end }}
{{- if or .Values.scopedRBAC (not .Values.processClusterStore) }}
- --enable-cluster-store-reconciler=false
{{- end }}
{{- if or .Values.scopedRBAC (not .Values.processClusterExternalSecret) }}
- --enable-cluster-external-secret-reconciler=false
{{- end }}
{{- if or .Values.scopedRBAC (not .Values.processClusterPushSecret) }}
- --enable-cluster-push-secret-reconciler=false
{{- end }}
{{- if not .Values.processSecretStore }}
- --enable-secret-store-reconciler=false
{{- end }}
{{- if not .Values.processPushSecret }}
{{- if and .Values.processClusterPushSecret (not .Values.scopedRBAC) }}
{{- fail "processPushSecret is false but processClusterPushSecret is true: a ClusterPushSecret makes PushSecrets, so set both to false or both to true" }}
{{- end }}
- --enable-push-secret-reconciler=false
{{- end }}
{{- with .Values.storeRequeueInterval }}
- --store-requeue-interval={{ . }}
{{- end }}
{{- if .Values.genericTargets.enabled }}
- --unsafe-allow-generic-targets=true
{{- end }}
{{- if .Values.vault.enableTokenCache }}
- --enable-vault-token-cache=true
- --vault-token-cache-size={{ .Values.vault.tokenCacheSize | int64 }}
{{- end }}
{{- end }}
