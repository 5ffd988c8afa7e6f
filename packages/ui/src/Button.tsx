import type { ComponentProps } from 'react'

type ButtonProps = Omit<ComponentProps<'button'>, 'disabled' | 'className'> & {
  /** Pending state: keeps width and focus, and shows a spinner after 300 ms. */
  isBusy?: boolean
  /** Whether clicks are ignored. */
  isBlocked?: boolean
  look?: 'primary' | 'danger' | 'small' | 'wide' | 'primary wide'
}

/** Renders a button. It is never `disabled`, because that would remove the focus during pending work. */
export function Button({ isBusy = false, isBlocked = false, look, type = 'button', onClick, ...rest }: ButtonProps) {
  const isOff = isBusy || isBlocked
  return (
    <button
      {...rest}
      type={type}
      className={look ? `button ${look}` : 'button'}
      aria-disabled={isOff}
      aria-busy={isBusy}
      onClick={(event) => {
        if (isOff) event.preventDefault()
        else onClick?.(event)
      }}
    />
  )
}
