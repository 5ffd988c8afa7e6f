// Worker thread of build.mjs. Compiles one input after the other, since the compiler blocks its thread.
import { parentPort, workerData } from 'node:worker_threads'
import solc from 'solc'

parentPort.postMessage(workerData.map((input) => JSON.parse(solc.compile(input))))
