export type Step = { step: string; ms: number }

/** Runs a step and records its duration in milliseconds, unless it throws. */
export type Timed = <T>(name: string, work: () => Promise<T>) => Promise<T>

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
