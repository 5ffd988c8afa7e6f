{{- define "latchkey.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{/* Name of a role's objects. */}}
{{- define "latchkey.name" -}}
{{ printf "%s-%s" .root.Release.Name .role | trunc 63 | trimSuffix "-" }}
{{- end }}

{{/* Labels that select the pods of one role. */}}
{{- define "latchkey.selector" -}}
app: latchkey
role: {{ .role }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
{{- end }}

{{- define "latchkey.labels" -}}
{{ include "latchkey.selector" . }}
app.kubernetes.io/name: latchkey
app.kubernetes.io/component: {{ .role }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
{{- end }}

{{/* Labels that select the pods of all roles. */}}
{{- define "latchkey.all" -}}
app: latchkey
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{/* Settings of a role as YAML. A setting whose name ends with _FILE is the path of a mounted secret. */}}
{{- define "latchkey.settings" -}}
{{- $hosts := .root.Values.hosts -}}
{{- $secrets := "/run/secrets" -}}
LATCHKEY_ROOT_ORGANIZATION_ID_FILE: {{ $secrets }}/LATCHKEY_ROOT_ORGANIZATION_ID
LATCHKEY_PROJECTS_FILE: /etc/latchkey/projects.json
LATCHKEY_CUSTODY_URL: https://{{ $hosts.custody }}
LATCHKEY_AUTH_FRAME_URL: https://{{ $hosts.auth }}
LATCHKEY_EXPORT_FRAME_URL: https://{{ $hosts.export }}
LATCHKEY_IMPORT_FRAME_URL: https://{{ $hosts.import }}
LATCHKEY_GATEWAY_URL: https://{{ $hosts.gateway }}
{{- if eq .role "admin" }}
LATCHKEY_ALLOWED_HOSTS: {{ $hosts.admin }}
# The console forwards the visitor's IP address, so it counts as an additional proxy.
LATCHKEY_TRUSTED_PROXIES: {{ add .root.Values.trustedProxies 1 | quote }}
{{- else }}
LATCHKEY_ALLOWED_HOSTS: {{ $hosts.signer }},{{ $hosts.gateway }}
LATCHKEY_TRUSTED_PROXIES: {{ .root.Values.trustedProxies | quote }}
{{- end }}
LATCHKEY_ROLES: {{ if hasSuffix "-frame" .role }}frames{{ else }}{{ .role }}{{ end }}
{{- if has .role (list "custody" "signer-api" "mail" "gateway" "webhooks" "admin") }}
DATABASE_URL_FILE: {{ $secrets }}/{{ .role }}-database-url
{{- end }}
{{- if eq .role "custody" }}
LATCHKEY_KEY_ENCRYPTION: secret
LATCHKEY_KEY_ENCRYPTION_KEY_FILE: {{ $secrets }}/LATCHKEY_KEY_ENCRYPTION_KEY
LATCHKEY_MAIL_SEAL_KEY_FILE: {{ $secrets }}/LATCHKEY_MAIL_SEAL_KEY
LATCHKEY_BUNDLE_SIGNING_KEY_FILE: {{ $secrets }}/LATCHKEY_BUNDLE_SIGNING_KEY
LATCHKEY_ROOT_API_PUBLIC_KEY_FILE: {{ $secrets }}/LATCHKEY_ROOT_API_PUBLIC_KEY
LATCHKEY_CONSOLE_URL: https://{{ $hosts.console }}
LATCHKEY_OPERATORS_FILE: /etc/latchkey/operators.json
{{- else if eq .role "signer-api" }}
LATCHKEY_ROOT_API_PUBLIC_KEY_FILE: {{ $secrets }}/LATCHKEY_ROOT_API_PUBLIC_KEY
LATCHKEY_ROOT_API_PRIVATE_KEY_FILE: {{ $secrets }}/LATCHKEY_ROOT_API_PRIVATE_KEY
{{- else if eq .role "mail" }}
LATCHKEY_SMTP_URL_FILE: {{ $secrets }}/smtp-url
LATCHKEY_MAIL_FROM: {{ .root.Values.mail.from | quote }}
LATCHKEY_MAIL_SEAL_KEY_FILE: {{ $secrets }}/LATCHKEY_MAIL_SEAL_KEY
{{- else if eq .role "gateway" }}
LATCHKEY_CHAINS_FILE: /etc/latchkey/chains.json
LATCHKEY_PAYMASTER_KEY_FILE: {{ $secrets }}/LATCHKEY_PAYMASTER_KEY
LATCHKEY_WEBHOOK_KEY_FILE: {{ $secrets }}/LATCHKEY_WEBHOOK_KEY
{{- else if hasSuffix "-frame" .role }}
LATCHKEY_FRAMES_PAGE: {{ trimSuffix "-frame" .role }}
LATCHKEY_BUNDLE_SIGNING_PUBLIC_KEY_FILE: {{ $secrets }}/LATCHKEY_BUNDLE_SIGNING_PUBLIC_KEY
{{- else if eq .role "admin" }}
LATCHKEY_OPERATOR_KEY_FILE: {{ $secrets }}/LATCHKEY_OPERATOR_KEY
LATCHKEY_CONSOLE_URL: https://{{ $hosts.console }}
LATCHKEY_OPERATORS_FILE: /etc/latchkey/operators.json
{{- else if eq .role "console" }}
LATCHKEY_CONSOLE_URL: https://{{ $hosts.console }}
LATCHKEY_ADMIN_URL: https://{{ $hosts.admin }}
{{- end }}
{{- end }}

{{/* Settings of a role, overridden by the chart's values. An empty value removes a setting. */}}
{{- define "latchkey.merged" -}}
{{- $all := include "latchkey.settings" . | fromYaml -}}
{{- range $given := list .root.Values.settings (.values.settings | default dict) -}}
{{- range $name, $value := $given }}{{ $_ := set $all $name $value }}{{ end -}}
{{- end -}}
{{- range $name, $value := $all }}
{{- if ne $value "" }}
{{ $name }}: {{ $value | quote }}
{{- end }}
{{- end -}}
{{- end }}

{{- define "latchkey.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "latchkey.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}
