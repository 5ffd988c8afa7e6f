/** Returns a function that recomputes a value only after its source was replaced by another object. */
export function derive<source, value>(read: () => source, compute: (source: source) => value): () => value {
  let latest: { source: source; value: value } | undefined
  return () => {
    const source = read()
    if (!latest || latest.source !== source) latest = { source, value: compute(source) }
    return latest.value
  }
}
