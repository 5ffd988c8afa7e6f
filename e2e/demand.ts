/** Error for a promise that the product does not keep. */
class Broken extends Error {}

export function demand(truth: unknown, what: string): asserts truth {
  if (!truth) throw new Broken(`Not so: ${what}.`)
}
