// A thread of build.mjs: compiles one input after the other, since the compiler holds its thread.
import { parentPort, workerData } from 'node:worker_threads'
import solc from 'solc'

parentPort.postMessage(workerData.map((input) => JSON.parse(solc.compile(input))))
