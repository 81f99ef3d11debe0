import { texts } from './message';

/** Tasks for fires of the past. */
export const backfill = texts(
  {
    'backfill.title': '补数',
    'backfill.start': '补数…',
    'backfill.started': '补数已开始',
    'backfill.explain': '为过去一段时间的每次触发各建一个任务，不影响正常调度。先列出会有哪些，确认后才创建。',
    'backfill.from': '从（含）',
    'backfill.until': '到（不含）',
    'backfill.maxParallel': '同时未结束的任务数',
    'backfill.count': '共 {n} 次触发',
    'backfill.made': '已创建',
    'backfill.tasks': '补数产生的任务',
    'backfill.none': '还没有补过数',
    'backfill.cancel': '停止补数',
    'backfill.cancelPreview': '不再创建新的任务；已创建的会继续。',
    'backfill.cancelled': '已停止',
    'backfillState.running': '进行中',
    'backfillState.done': '已完成',
    'backfillState.cancelled': '已停止',
  },
  {
    'backfill.title': 'Backfills',
    'backfill.start': 'Backfill…',
    'backfill.started': 'The backfill has begun',
    'backfill.explain':
      'A task for each fire of a span of the past, beside the schedule. Which ones is told first; they are made once you say so.',
    'backfill.from': 'From (inclusive)',
    'backfill.until': 'Until (exclusive)',
    'backfill.maxParallel': 'Unfinished tasks at once',
    'backfill.count': { one: 'One fire', other: '{n} fires' },
    'backfill.made': 'Made',
    'backfill.tasks': 'Tasks of backfills',
    'backfill.none': 'No span was made up for yet',
    'backfill.cancel': 'Stop it',
    'backfill.cancelPreview': 'No more tasks are made; those that exist go on.',
    'backfill.cancelled': 'Stopped',
    'backfillState.running': 'Running',
    'backfillState.done': 'Done',
    'backfillState.cancelled': 'Stopped',
  },
);
