import type { CSSProperties } from 'react'

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
