/** Only a person's click counts: one a script makes would open what nobody asked to see. */
export function onPersonClick(element: HTMLElement, act: () => void): void {
  element.addEventListener('click', (event) => {
    if (event.isTrusted) act()
  })
}
