/** Members of the Web Storage interface that Latchkey uses. `localStorage` is an implementation. */
export type StoragePort = {
  getItem(key: string): string | null
  setItem(key: string, value: string): void
  removeItem(key: string): void
}
