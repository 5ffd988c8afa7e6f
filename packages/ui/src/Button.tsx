import type { ComponentProps } from 'react'

type ButtonProps = Omit<ComponentProps<'button'>, 'disabled' | 'className'> & {
  /** Its own work is pending: it keeps its width and the focus, and shows a spinner after 300 ms. */
  isBusy?: boolean
  /** It cannot be pressed now. */
  isBlocked?: boolean
  look?: 'primary' | 'danger' | 'small' | 'wide' | 'primary wide'
}

/** Renders a button. It is never `disabled`, which would take the focus away while its work is pending. */
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
