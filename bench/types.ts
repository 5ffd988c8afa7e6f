export type Result = { name: string; value: number; unit: string }

/** Runs one measurement. `log` reports progress; results are reported, never asserted. */
export type Measure = (options: { log(line: string): void }) => Promise<Result[]>
