/** Members of the Web Storage interface that Latchkey uses, for example of `localStorage`. */
export type StoragePort = {
  getItem(key: string): string | null
  setItem(key: string, value: string): void
  removeItem(key: string): void
}
