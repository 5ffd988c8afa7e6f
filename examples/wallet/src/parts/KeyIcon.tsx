/** A key, for what is done with a passkey: few fonts have the sign for it. */
export function KeyIcon() {
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
      <circle cx="8" cy="9" r="4.2" />
      <path d="M11 12l8 8M16 17l2-2M18.5 19.5l1.5-1.5" />
    </svg>
  )
}
