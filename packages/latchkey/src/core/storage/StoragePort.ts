/** Members used of a storage, those of the Web Storage interface, such as `localStorage`. */
export type StoragePort = {
  getItem(key: string): string | null
  setItem(key: string, value: string): void
  removeItem(key: string): void
}
