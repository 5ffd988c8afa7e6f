export type Step = { step: string; ms: number }

/** Does a step and notes its milliseconds; one that throws is not noted. */
export type Timed = <T>(name: string, work: () => Promise<T>) => Promise<T>

/** A clock for the steps of a job. `onStep` is called after each. */
export function timedSteps(onStep?: (step: Step) => void): { steps: Step[]; timed: Timed } {
  const steps: Step[] = []
  return {
    steps,
    async timed(step, work) {
      const began = performance.now()
      const result = await work()
      const done = { step, ms: Math.round(performance.now() - began) }
      steps.push(done)
      onStep?.(done)
      return result
    },
  }
}
