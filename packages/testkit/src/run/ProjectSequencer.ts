import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Projects that run together, with short tests at the end, which keep all workers busy. */
const order = ['plan', 'fuzz', 'pictures', 'hooks', 'compat', 'docs', 'packaging', 'page', 'service', 'module']

/** Files of two minutes or more start first. Vitest knows durations only from earlier runs on the same machine. */
const isLong = ({ moduleId }: TestSpecification) =>
  /(?:serverRendering|strangersApp|consoleLogin|crashes\.faults)\.test\.ts$/.test(moduleId)

/**
 * Runs one project after the other, each with its longest files first. A worker keeps its fixtures only within a
 * project.
 */
export class ProjectSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ project }: TestSpecification) => order.indexOf(project.name)
    const sorted = await super.sort(files)
    return sorted.sort((a, b) => rank(a) - rank(b) || Number(isLong(b)) - Number(isLong(a)))
  }
}
