import type { Check } from '../check.js';
import { PARTITION } from '../check-run.js';

const UNKNOWN = { handler: 'evenkeel.check.unknown', params: null };
const EARLIER_LIFE = '00000000000000000000000000';

const FIRST_EPOCH = 10;

export const ORDER_CHECKS: Check[] = [
  {
    title: 'refuses a handler it does not have, and remembers that it did',
    async run(run) {
      const task = run.order(UNKNOWN);
      await run.expect('unknown_handler', task, 'an order for a handler it never registered');
      await run.expect('unknown_handler', task, 'the same order again');
      return [];
    },
  },
  {
    title: 'refuses orders for another worker or an earlier life of it',
    async run(run) {
      const task = run.order(UNKNOWN);
      await run.expect('stale_incarnation', task, 'an order for another incarnation', { incarnation: EARLIER_LIFE });
      await run.expect('stale_incarnation', task, 'an order for another workerId', { workerId: 'somebody-else' });
      await run.expect('unknown_handler', task, 'the same order in its own name (stale_incarnation is not to be remembered)');
      return [];
    },
  },
  {
    title: 'refuses orders of an older epoch, each time anew, and takes the same order of a newer one',
    async run(run) {
      const own = { partition: PARTITION + 4 };
      // The worker remembers the epochs of earlier checks, and says which: each check goes on from there.
      const [known] = (await run.run([run.order(UNKNOWN)], { ...own, epoch: FIRST_EPOCH })).results;
      const seen = known?.outcome === 'stale_epoch' ? (known.seenEpoch ?? FIRST_EPOCH) + 1 : FIRST_EPOCH;
      await run.outcomes([run.order(UNKNOWN)], { ...own, epoch: seen });
      const task = run.order(UNKNOWN);
      const { results } = await run.run([task], { ...own, epoch: seen - 1 });
      const [first] = results;
      await run.expect('unknown_handler', task, 'the same order of a newer epoch', { ...own, epoch: seen + 1 });
      if (first?.outcome !== 'stale_epoch')
        return [`an order of the epoch before the one it has seen is answered "${first?.outcome}" instead of "stale_epoch"`];
      return first.seenEpoch === seen ? [] : [`"stale_epoch" says seenEpoch ${first.seenEpoch}; it has seen ${seen}`];
    },
  },
  {
    title: 'learns epochs from heartbeat answers',
    async run(run) {
      const partition = PARTITION + 3;
      const { centre } = run;
      centre.epochs = { [partition]: 7 };
      const beats = centre.beats.length;
      await run.until(() => centre.beats.length > beats + 2, 'heartbeats stop');
      await run.expect('stale_epoch', run.order(UNKNOWN), 'an order of epoch 6 after a heartbeat answer named 7', {
        partition,
        epoch: 6,
      });
      return [];
    },
  },
  {
    title: 'runs an order once, however often it is sent, and answers "duplicate"',
    async run(run) {
      const task = run.order(run.quick);
      await run.expect('accepted', task, 'an order it has room for');
      await run.expect('duplicate', task, 'the same (task, lease) again');
      const { outcome, startedAt, endedAt } = await run.result(task);
      await run.expect('duplicate', task, 'the same (task, lease) after its end');
      const beats = run.centre.beats.length;
      await run.until(() => run.centre.beats.length > beats + 2, 'heartbeats stop');
      const faults: string[] = [];
      const count = run.centre.resultsOf(task.taskId).length;
      if (count > 1)
        faults.push(
          `an order that was sent three times has ${count} results: it ran more than once, or an acknowledged result was sent again`,
        );
      if (outcome !== 'succeeded')
        faults.push(`the handler "${task.handler}" ends "${outcome}"; name one that succeeds with --handler and --params`);
      if (startedAt > endedAt) faults.push('startedAt of a result is after its endedAt');
      if (Math.abs(endedAt - run.centre.now()) > 60_000) faults.push("endedAt of a result is not by the centre's clock");
      return faults;
    },
  },
  {
    title: 'takes a later lease of a task as another order',
    async run(run) {
      const task = run.order(run.quick);
      await run.expect('accepted', task, 'an order');
      await run.result(task);
      const later = { ...task, lease: 9, attempt: 2 };
      await run.expect('accepted', later, 'a later lease of the same task');
      await run.result(later);
      return [];
    },
  },
  {
    title: 'never runs an order whose cancel came first',
    async run(run) {
      const task = run.order(UNKNOWN);
      const outcome = await run.cancel(task);
      const faults =
        outcome === 'unknown' ? [] : [`the cancel of an order it never had is answered "${outcome}" instead of "unknown"`];
      await run.expect('no_lease', task, 'an order whose cancel was answered "unknown"');
      return faults;
    },
  },
  {
    title: 'takes no more than it has room for, and says truly how much that is',
    async run(run) {
      const { slow } = run;
      const before = await run.run([]);
      const asked = Math.min(before.freeSlots + 2, 200);
      const tasks = Array.from({ length: asked }, () => run.order(slow));
      const answer = await run.run(tasks);
      const accepted = answer.results.filter(({ outcome }) => outcome === 'accepted').length;
      const refused = new Set(answer.results.map(({ outcome }) => outcome).filter((outcome) => outcome !== 'accepted'));
      for (const task of tasks.slice(0, accepted)) await run.cancel(task);
      for (const task of tasks.slice(0, accepted)) await run.result(task);
      const faults: string[] = [];
      if (asked > before.freeSlots && accepted !== before.freeSlots)
        faults.push(`it said freeSlots ${before.freeSlots} and then accepted ${accepted} of ${asked} orders`);
      if ([...refused].some((outcome) => outcome !== 'busy'))
        faults.push(`orders beyond its room are answered "${[...refused].join('", "')}" instead of "busy"`);
      if (answer.seq <= before.seq) faults.push(`seq of its figures does not rise: ${before.seq}, then ${answer.seq}`);
      return faults;
    },
  },
];
