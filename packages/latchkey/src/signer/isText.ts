/** Whether a value read from the network, from storage or from the app is text with something in it. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
