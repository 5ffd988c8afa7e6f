import type { CSSProperties } from 'react'
import { Boundary } from './Boundary.tsx'
import type { ExportAccountComponentProps } from './uiConfig.ts'

type ExportAccountFrameProps = ExportAccountComponentProps & { containerId: string }

/** Renders the container of the export frame. */
export function ExportAccountFrame(props: ExportAccountFrameProps) {
  return <Boundary render={(key) => <Container key={key} {...props} />} />
}

function Container({ containerId, iframeCss, className, isExported }: ExportAccountFrameProps) {
  return (
    <>
      {iframeCss && <style>{`[id=${JSON.stringify(containerId)}] iframe{${toCss(iframeCss)}}`}</style>}
      {/* Without children, because the signer replaces the content. */}
      <div id={containerId} className={className} style={{ display: isExported ? 'block' : 'none' }} />
    </>
  )
}

/**
 * Converts a style object to CSS declarations: `{ minHeight: '120px' }` becomes `min-height:120px;`. Adds no units to
 * numbers.
 */
export function toCss(style: CSSProperties): string {
  return Object.entries(style)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${toKebab(name)}:${value};`)
    .join('')
}

/**
 * Converts a property name to kebab case. Custom properties (`--x`) stay unchanged; vendor prefixes get a leading dash:
 * `WebkitX` becomes `-webkit-x`.
 */
function toKebab(name: string): string {
  return name.startsWith('--') ? name : name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}
