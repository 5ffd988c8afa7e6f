/** A failure that means the product does not keep a promise. */
class Broken extends Error {}

export function demand(truth: unknown, what: string): asserts truth {
  if (!truth) throw new Broken(`Not so: ${what}.`)
}
