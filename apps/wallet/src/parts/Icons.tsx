import type { ReactNode } from 'react'

export function Keyhole({ size }: { size: number }) {
  return (
    <svg className="keyhole" aria-hidden="true" width={size} height={size} viewBox="0 0 24 24">
      <path
        fill="currentColor"
        fillRule="evenodd"
        d="M12 2a7 7 0 0 1 7 7v11a2 2 0 0 1-2 2H7a2 2 0 0 1-2-2V9a7 7 0 0 1 7-7zm0 7.2a2.6 2.6 0 0 0-1.3 4.85L9.9 18h4.2l-.8-3.95A2.6 2.6 0 0 0 12 9.2z"
      />
    </svg>
  )
}

/** Key, for passkeys and owners. Few fonts contain such a character. */
export function KeyIcon() {
  return (
    <LineIcon>
      <circle cx="8" cy="9" r="4.2" />
      <path d="M11 12l8 8M16 17l2-2M18.5 19.5l1.5-1.5" />
    </LineIcon>
  )
}

/** A plug, for plugins. */
export function PlugIcon() {
  return (
    <LineIcon>
      <path d="M9 3v5M15 3v5M6 8h12v3a6 6 0 0 1-12 0zM12 17v4" />
    </LineIcon>
  )
}

function LineIcon({ children }: { children: ReactNode }) {
  return (
    <svg
      aria-hidden="true"
      width={16}
      height={16}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={2}
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      {children}
    </svg>
  )
}
