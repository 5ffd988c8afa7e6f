export { latchkey } from '../wagmi/latchkey.ts'
export type { ConnectorContext, LatchkeyConnector } from '../wagmi/types.ts'
