import type { ReactNode } from 'react'

type ButtonProps = {
  children: ReactNode
  /** What it is called where its text alone says too little. */
  label?: string
  /** Its own work is under way. It keeps its place and the focus, and shows so after a moment. */
  isBusy?: boolean
  /** It cannot be pressed now. */
  isBlocked?: boolean
  look?: 'primary' | 'small' | 'wide' | 'primary wide'
  type?: 'button' | 'submit'
  onPress?: () => void
}

/** Not `disabled`: the focus would fall out of the page while it is busy. */
export function Button({
  children,
  label,
  isBusy = false,
  isBlocked = false,
  look,
  type = 'button',
  onPress,
}: ButtonProps) {
  const isOff = isBusy || isBlocked
  return (
    <button
      type={type}
      className={look ? `button ${look}` : 'button'}
      aria-label={label}
      aria-disabled={isOff}
      aria-busy={isBusy}
      onClick={(event) => {
        if (isOff) event.preventDefault()
        else onPress?.()
      }}
    >
      {children}
    </button>
  )
}
