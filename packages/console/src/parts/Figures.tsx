/** A titled part of a page; `aside` is opposite the title. */
export function Card({
  title,
  aside,
  children,
}: {
  title: string
  aside?: React.ReactNode
  children: React.ReactNode
}) {
  return (
    <section className="card" aria-label={title}>
      <header>
        <h2>{title}</h2>
        {aside !== undefined && <div className="aside">{aside}</div>}
      </header>
      {children}
    </section>
  )
}

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
