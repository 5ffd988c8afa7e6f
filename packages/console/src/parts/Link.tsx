import { goTo, toHref, usePath } from '../places.ts'

/** A link within the console. With modifier keys, the browser's own behavior applies. */
export function Link({ to, children, ...rest }: { to: string } & React.ComponentProps<'a'>) {
  usePath()
  return (
    <a
      href={toHref(to)}
      {...rest}
      onClick={(event) => {
        rest.onClick?.(event)
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0 || event.defaultPrevented) return
        event.preventDefault()
        goTo(to)
      }}
    >
      {children}
    </a>
  )
}
