import type { CSSProperties } from 'react'
import type { ExportAccountComponentProps } from './uiConfig.ts'

type ExportAccountFrameProps = ExportAccountComponentProps & { containerId: string }

/** The place the export frame goes to. */
export function ExportAccountFrame({ containerId, iframeCss, className, isExported }: ExportAccountFrameProps) {
  return (
    <>
      {iframeCss && <style>{`[id=${JSON.stringify(containerId)}] iframe{${toCss(iframeCss)}}`}</style>}
      {/* Nothing of React's goes inside: the signer replaces what it holds. */}
      <div id={containerId} className={className} style={{ display: isExported ? 'block' : 'none' }} />
    </>
  )
}

/** Declarations in CSS's spelling: `{ minHeight: '120px' }` is `min-height:120px;`. Numbers stay without a unit. */
export function toCss(style: CSSProperties): string {
  return Object.entries(style)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${toKebab(name)}:${value};`)
    .join('')
}

/** Custom properties (`--x`) are spelled alike; a vendor's prefix has a dash in front: `WebkitX` is `-webkit-x`. */
function toKebab(name: string): string {
  return name.startsWith('--') ? name : name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}
