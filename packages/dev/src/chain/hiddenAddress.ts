import { randomInt } from 'node:crypto'
import { freePorts } from '../freePorts.ts'

export declare namespace hiddenAddress {
  type ReturnType = { host: string; port: number }
}

/**
 * Where the node listens behind its door (`guardNode`). On Linux every address of 127.0.0.0/8 is this machine, and a
 * page cannot try sixteen million; elsewhere it is a port drawn at random.
 */
export async function hiddenAddress(port: number): Promise<hiddenAddress.ReturnType> {
  if (process.platform !== 'linux') return { host: '127.0.0.1', port: await freePorts(1) }
  const host = ['127', randomInt(1, 255), randomInt(0, 256), randomInt(1, 255)].join('.')
  return { host, port }
}
