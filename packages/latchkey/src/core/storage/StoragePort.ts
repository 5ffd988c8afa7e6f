/** What is needed of a storage: the synchronous part of the Web Storage interface. `localStorage` fits as it is. */
export type StoragePort = {
  getItem(key: string): string | null
  setItem(key: string, value: string): void
  removeItem(key: string): void
}
