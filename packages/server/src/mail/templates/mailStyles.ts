const font = "font-family:Inter,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
const mono = 'font-family:ui-monospace,Menlo,Consolas,monospace'

/** Inline, since mail programs drop style sheets; `dark` is for those that keep them. Colours are the design's tokens. */
export const mailStyles = {
  body: 'margin:0;padding:0;background:#f6f5f1',
  outer: 'padding:32px 16px',
  card: 'max-width:480px;background:#ffffff;border:1px solid #e4e2dc;border-radius:20px',
  inner: 'padding:28px 28px 24px',
  brand: `${font};font-size:14px;line-height:32px;font-weight:600;color:#5c6069;margin:0 0 16px`,
  logo: 'height:32px;max-width:160px;vertical-align:middle;margin:0 10px 0 0;border:0',
  title: `${font};font-size:22px;line-height:30px;font-weight:600;letter-spacing:-0.01em;color:#14161a;margin:0 0 16px`,
  text: `${font};font-size:15px;line-height:23px;color:#14161a;margin:0 0 16px`,
  action: 'margin:0 0 20px',
  button: `${font};display:block;padding:14px 24px;background:#14161a;color:#ffffff;border-radius:12px;font-size:16px;line-height:20px;font-weight:600;text-align:center;text-decoration:none`,
  code: `${mono};font-size:32px;line-height:40px;letter-spacing:8px;text-align:center;color:#14161a;background:#f3f2ee;border-radius:12px;padding:12px 0 12px 8px;margin:0 0 20px`,
  context: `${font};font-size:14px;line-height:21px;color:#5c6069;border-left:3px solid #96681c;padding:0 0 0 12px;margin:0 0 16px`,
  small: `${font};font-size:13px;line-height:20px;color:#5c6069;margin:0 0 12px`,
  link: 'color:#96681c;word-break:break-all',
  dark: [
    '@media (prefers-color-scheme:dark){',
    '.canvas{background:#0e1013!important}',
    '.card{background:#17191e!important;border-color:#2a2d34!important}',
    '.ink{color:#f2f1ed!important}',
    '.soft{color:#a8acb5!important}',
    '.context{color:#a8acb5!important;border-color:#dcae5f!important}',
    '.code{color:#f2f1ed!important;background:#20232a!important}',
    '.button{color:#14161a!important;background:#f2f1ed!important}',
    '.link{color:#dcae5f!important}',
    '}',
  ].join(''),
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character)
}
