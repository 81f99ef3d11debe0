import type { WorkerSummary } from '../../../../src/admin/contract/workers.js';

export const totalSlots = ({ slots }: Pick<WorkerSummary, 'slots'>): number =>
  typeof slots === 'number' ? slots : Object.values(slots).reduce((sum, each) => sum + each, 0);
