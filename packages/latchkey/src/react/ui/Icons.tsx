import type { ReactNode } from 'react'

type IconProps = { size?: number | undefined; className?: string | undefined }

function Stroke({ size = 20, className, children }: IconProps & { children: ReactNode }) {
  return (
    <svg
      aria-hidden="true"
      className={className}
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.75}
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      {children}
    </svg>
  )
}

export function CloseIcon(props: IconProps) {
  return (
    <Stroke {...props}>
      <path d="M6 6l12 12M18 6L6 18" />
    </Stroke>
  )
}

export function BackIcon(props: IconProps) {
  return (
    <Stroke {...props} className="lk-flip">
      <path d="M15 5l-7 7 7 7" />
    </Stroke>
  )
}

export function ArrowIcon(props: IconProps) {
  return (
    <Stroke {...props} className="lk-flip">
      <path d="M5 12h14M13 6l6 6-6 6" />
    </Stroke>
  )
}

export function MailIcon(props: IconProps) {
  return (
    <Stroke {...props}>
      <rect x="3" y="5.5" width="18" height="13" rx="2.5" />
      <path d="M4 7.5l8 6 8-6" />
    </Stroke>
  )
}

/** Face and key, for passkey sign-in. */
export function PasskeyIcon(props: IconProps) {
  return (
    <Stroke {...props}>
      <circle cx="9" cy="8" r="3.5" />
      <path d="M3.5 20c.6-3.6 2.8-5.5 5.5-5.5 1 0 2 .3 2.8.8" />
      <circle cx="17" cy="12.5" r="2.5" />
      <path d="M17 15v6l2-1.5M17 19l1.5-1" />
    </Stroke>
  )
}

export function KeyIcon(props: IconProps) {
  return (
    <Stroke {...props}>
      <circle cx="8" cy="9" r="4.2" />
      <path d="M11 12l8 8M16 17l2-2M18.5 19.5l1.5-1.5" />
    </Stroke>
  )
}

export function PaperIcon(props: IconProps) {
  return (
    <Stroke {...props}>
      <rect x="5" y="3.5" width="14" height="17" rx="2.5" />
      <path d="M8.5 8.5h7M8.5 12h7M8.5 15.5h4" />
    </Stroke>
  )
}

export function WaitIcon({ size }: IconProps) {
  return (
    <Stroke size={size} className="lk-spin">
      <circle cx="12" cy="12" r="8.5" opacity=".25" />
      <path d="M12 3.5a8.5 8.5 0 0 1 8.5 8.5" />
    </Stroke>
  )
}

export function WarnIcon(props: IconProps) {
  return (
    <Stroke {...props}>
      <path d="M12 4l9 16H3z" />
      <path d="M12 10v4M12 17v.5" />
    </Stroke>
  )
}

/** Latchkey's logo. */
export function Mark({ size = 14, className }: IconProps) {
  return (
    <svg aria-hidden="true" className={className} width={size} height={size} viewBox="0 0 24 24">
      <path
        fill="currentColor"
        fillRule="evenodd"
        d="M12 2a7 7 0 0 1 7 7v11a2 2 0 0 1-2 2H7a2 2 0 0 1-2-2V9a7 7 0 0 1 7-7zm0 7.2a2.6 2.6 0 0 0-1.3 4.85L9.9 18h4.2l-.8-3.95A2.6 2.6 0 0 0 12 9.2z"
      />
    </svg>
  )
}
