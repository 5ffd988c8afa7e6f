import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Short tests at the end keep all workers busy. */
const order = ['page', 'service', 'module']

/**
 * Runs one project after the other, each with its longest files first. A worker keeps its fixtures only within a
 * project.
 */
export class ProjectSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ project }: TestSpecification) => order.indexOf(project.name)
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
  }
}
