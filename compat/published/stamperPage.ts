import { IframeStamper as Stamper211 } from './node_modules/@turnkey/iframe-stamper/dist/index.js'
import { IframeStamper as Stamper10 } from './node_modules/@turnkey/iframe-stamper-1.0/dist/index.js'
import { IframeStamper as Stamper12 } from './node_modules/@turnkey/iframe-stamper-1.2/dist/index.js'

const versions = {
  '1.0.0': Stamper10,
  '1.2.0': Stamper12,
  '2.11.1': Stamper211,
}
export type StamperVersion = keyof typeof versions

/** Result of a call. Clients before 2.2 reject with a string, later clients with an Error. */
export type Outcome = { value?: unknown; error?: string }

export type StamperPage = {
  /** Creates a client and its frame. Returns the frame's public key. */
  open(version: StamperVersion, url: string, elementId: string): Promise<string>
  call(elementId: string, method: string, ...parameters: unknown[]): Promise<Outcome>
  /** Starts all calls at the same time. */
  callAll(elementId: string, method: string, parameters: unknown[]): Promise<Outcome[]>
}

declare global {
  interface Window {
    stampers: StamperPage
  }
}

type Client = Record<string, (...parameters: unknown[]) => Promise<unknown>>
const clients = new Map<string, Client>()

const call: StamperPage['call'] = async (elementId, method, ...parameters) => {
  try {
    return { value: await clients.get(elementId)?.[method]?.(...parameters) }
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) }
  }
}

window.stampers = {
  async open(version, url, elementId) {
    const stamper = new versions[version]({
      iframeUrl: url,
      iframeContainer: document.body,
      iframeElementId: elementId,
    })
    clients.set(elementId, stamper as unknown as Client)
    return String(await stamper.init())
  },
  call,
  callAll: (elementId, method, list) => Promise.all(list.map((parameter) => call(elementId, method, parameter))),
}
