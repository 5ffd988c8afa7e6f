/** A promise of the product that was not kept. */
class Broken extends Error {}

/** Goes on only when `truth` holds; else throws an error that says what should have been. */
export function demand(truth: unknown, what: string): asserts truth {
  if (!truth) throw new Broken(`Not so: ${what}.`)
}
