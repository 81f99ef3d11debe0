import { type BatchAnswer, type BatchItemResult, LIMITS } from '@evenkeel/sdk/contract';
import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { pointerToken, typeOf } from '../decisions/field-rules.js';
import { itemParamsTexts, mayLoseNumbers } from '../decisions/params-text.js';
import { tasksMade } from '../decisions/shards.js';
import { GroupsService } from '../jobs/groups.service.js';
import type { PartnerCaller } from '../platform/audience.js';
import { AppError } from '../platform/errors.js';
import type { PartnerRequest } from '../platform/http/request.js';
import { KEY_PATIENCE_IN_LIST_MS, KEY_PATIENCE_MS } from '../tasks/key-watch.js';
import type { NewTask, SubmitOutcome } from '../tasks/task.js';
import { TasksService } from '../tasks/tasks.service.js';
import { Admission, type Checked } from './admission.js';
import { requireBody } from './request-body.js';
import { Room } from './room.js';
import { createdTask } from './submissions.service.js';
import { receiptOf } from './task.view.js';
import { TaskQuota } from './task-quota.js';

interface Admitted {
  index: number;
  task: NewTask;
}

/** Many tasks in one request. Items stand alone: a bad one is reported at its place and harms no other; a bad envelope creates nothing. */
@Injectable()
export class BatchService {
  constructor(
    private readonly admission: Admission,
    private readonly quota: TaskQuota,
    private readonly tasks: TasksService,
    private readonly groups: GroupsService,
    private readonly room: Room,
  ) {}

  async submit(request: PartnerRequest, reply: FastifyReply): Promise<BatchAnswer> {
    const { body, text } = requireBody(request);
    const items = itemsOf(body);
    const { caller } = request;
    const results: BatchItemResult[] = new Array(items.length);
    const admitted = await this.admit(items, mayLoseNumbers(text) ? itemParamsTexts(text) : [], caller, results);
    const taken = await this.quota.take(caller, await this.costOf(admitted, items.length, caller), reply, items.length);
    for (const round of roundsOf(admitted)) await this.store(round, results);
    const more = admitted
      .filter(({ index }) => results[index]?.outcome === 'accepted')
      .map(({ task }) => tasksMade(task.shards) - 1);
    const made = more.reduce((sum, each) => sum + each, items.length);
    await this.quota.giveBack(caller, taken, made, items.length);
    const count = (outcome: BatchItemResult['outcome']) => results.filter((result) => result.outcome === outcome).length;
    return { summary: { accepted: count('accepted'), replayed: count('replayed'), rejected: count('rejected') }, results };
  }

  private async admit(items: unknown[], paramsTexts: (string | undefined)[], caller: PartnerCaller, results: BatchItemResult[]) {
    const checked: (Admitted & Checked)[] = [];
    for (const [index, body] of items.entries()) {
      try {
        const submission = { body, paramsText: paramsTexts[index], pointer: `/items/${index}`, clientRequestIdRequired: true };
        checked.push({ index, ...this.admission.check(submission, caller) });
      } catch (error) {
        results[index] = rejected(index, statedId(body), error);
      }
    }
    const refused = checked.filter(({ refusal }) => refusal !== null);
    const known = await this.room.known(caller.appId, refused.map(idOf));
    for (const item of refused.filter((item) => !known.has(idOf(item))))
      results[item.index] = rejected(item.index, idOf(item), item.refusal);
    return checked.filter(({ index }) => results[index] === undefined);
  }

  /** One for each item, and for one that may be stored all the tasks it makes. */
  private async costOf(admitted: readonly Admitted[], items: number, { appId }: PartnerCaller): Promise<number> {
    const tasks = admitted.map(({ task }) => task);
    return items - tasks.length + (await this.room.tasksMadeBy(appId, tasks));
  }

  private async store(round: Admitted[], results: BatchItemResult[]): Promise<void> {
    const patienceMs = results.length > 1 ? KEY_PATIENCE_IN_LIST_MS : KEY_PATIENCE_MS;
    const outcomes = await this.tasks.submit(
      round.map(({ task }) => task),
      patienceMs,
    );
    for (const [at, { index, task }] of round.entries()) {
      const outcome = outcomes[at] as SubmitOutcome;
      try {
        const record = createdTask(outcome, `/items/${index}`);
        const receipt = receiptOf(record, this.groups.byId(record.groupId)?.key ?? '');
        results[index] = {
          index,
          clientRequestId: task.clientRequestId,
          outcome: outcome.outcome as 'accepted' | 'replayed',
          task: receipt,
        };
      } catch (error) {
        results[index] = rejected(index, task.clientRequestId, error);
      }
    }
  }
}

/** The items of a well-formed envelope. Throws AppError. */
function itemsOf(body: Record<string, unknown>): unknown[] {
  const unknown = Object.keys(body).filter((name) => name !== 'items');
  if (unknown.length > 0) {
    throw AppError.fields(
      unknown
        .slice(0, 50)
        .map((name) => ({ pointer: `/${pointerToken(name)}`, code: 'unknown_field', message: 'is not a field of a batch' })),
    );
  }
  const { items } = body;
  if (items === undefined) throw AppError.fields([{ pointer: '/items', code: 'required', message: 'is required' }]);
  if (!Array.isArray(items))
    throw AppError.fields([{ pointer: '/items', code: 'wrong_type', message: `must be an array, not ${typeOf(items)}` }]);
  if (items.length === 0)
    throw AppError.fields([{ pointer: '/items', code: 'too_many', message: `must hold 1 to ${LIMITS.batchItems} items` }]);
  if (items.length > LIMITS.batchItems) {
    throw new AppError('batch_too_large', `a batch holds at most ${LIMITS.batchItems} items`, {
      members: { maxItems: LIMITS.batchItems },
    });
  }
  return items;
}

/** The first item of each id goes first; repetitions wait for it to be stored, so that the record decides between replay and refusal. */
function roundsOf(admitted: Admitted[]): Admitted[][] {
  const seen = new Set<string>();
  const firsts: Admitted[] = [];
  const repetitions: Admitted[] = [];
  for (const item of admitted) {
    const id = idOf(item);
    (seen.has(id) ? repetitions : firsts).push(item);
    seen.add(id);
  }
  return [firsts, repetitions].filter((round) => round.length > 0);
}

function rejected(index: number, clientRequestId: string | null, error: unknown): BatchItemResult {
  if (!(error instanceof AppError)) throw error;
  const { code, detail, extras } = error;
  const existingTaskId = extras.members?.existingTaskId as string | undefined;
  return { index, clientRequestId, outcome: 'rejected', error: { code, detail, errors: extras.errors, existingTaskId } };
}

/** An admitted item has one. */
const idOf = ({ task }: Admitted): string => task.clientRequestId as string;

function statedId(item: unknown): string | null {
  const id = (item as { clientRequestId?: unknown } | null)?.clientRequestId;
  return typeof id === 'string' ? id.slice(0, LIMITS.clientRequestIdLength) : null;
}
