export function Figure({ value, name }: { value: React.ReactNode; name: string }) {
  return (
    <div className="figure">
      <dd>{value}</dd>
      <dt>{name}</dt>
    </div>
  )
}

type Tone = 'ok' | 'warn' | 'bad' | 'plain'

export const Pill = ({ tone, children }: { tone: Tone; children: React.ReactNode }) => (
  <span className={`pill ${tone}`}>{children}</span>
)

/** Shows a number or hash shortened; copies it in full. */
export const Hex = ({ value, short }: { value: string; short: string }) => (
  <code className="hex" title={value}>
    {short}
  </code>
)
