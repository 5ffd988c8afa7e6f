import { createConnection } from 'node:net'
import { freePorts } from '../../../dev/src/devnet/freePorts.ts'
import { startChild } from '../../../dev/src/processes/startChild.ts'
import { FixtureError } from '../FixtureError.ts'

export type Redis = Awaited<ReturnType<typeof startRedis>>

/** Starts Debian's Redis without persistence. */
export async function startRedis() {
  const program = process.env.REDIS_PATH
  if (!program) throw new FixtureError('REDIS_PATH is not set: run `npm run test:full -- --part database`.')
  const port = await freePorts(1)
  const child = await startChild({
    name: 'Redis',
    program,
    args: ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
    port,
    env: { LD_LIBRARY_PATH: process.env.REDIS_LIBRARIES ?? '' },
    timeoutMs: 20_000,
    isReady: () => ping(port),
  })
  return { url: `redis://127.0.0.1:${port}`, close: () => child.close() }
}

function ping(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(port, '127.0.0.1', () => socket.write('PING\r\n'))
    socket.setTimeout(2_000, () => socket.destroy(new TypeError('Redis does not answer.')))
    socket.once('error', reject)
    socket.once('data', (chunk: Buffer) => {
      socket.destroy()
      resolve(chunk.toString().startsWith('+PONG'))
    })
  })
}
