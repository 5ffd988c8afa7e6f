export type Result = { name: string; value: number; unit: string }

/** One measurement. `log` tells how far it is; results are reported, never asserted. */
export type Measure = (options: { log(line: string): void }) => Promise<Result[]>
