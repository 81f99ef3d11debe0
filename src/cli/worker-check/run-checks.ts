import type { Check, Finding } from './check.js';
import { type CheckRun, Fault, Skip } from './check-run.js';
import { BODY_CHECKS } from './checks/bodies.js';
import { LEAVING_CHECKS } from './checks/leaving.js';
import { ORDER_CHECKS } from './checks/orders.js';
import { REPORT_CHECKS } from './checks/reports.js';
import { SIGNATURE_CHECKS } from './checks/signatures.js';

const ALL: Check[] = [...SIGNATURE_CHECKS, ...BODY_CHECKS, ...ORDER_CHECKS, ...REPORT_CHECKS, ...LEAVING_CHECKS];

/** One check after the other; what one breaks the next may stumble over, and says so. */
export async function runChecks(run: CheckRun, found: (finding: Finding) => void): Promise<void> {
  for (const check of ALL) found(await findingOf(check, run));
}

async function findingOf({ title, run: check }: Check, run: CheckRun): Promise<Finding> {
  try {
    const faults = (await check(run)) ?? [];
    return { check: title, verdict: faults.length === 0 ? 'ok' : 'fault', says: faults };
  } catch (error) {
    if (error instanceof Skip) return { check: title, verdict: 'skipped', says: [error.message] };
    if (error instanceof Fault) return { check: title, verdict: 'fault', says: [error.message] };
    throw error;
  }
}
