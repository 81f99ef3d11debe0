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
    'backfill.maxParallel': '同时未结束任务数上限',
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
    'backfill.started': 'Backfill started',
    'backfill.explain':
      'Creates one task for each fire in a past span, beside the normal schedule. They are listed first and created once you confirm.',
    'backfill.from': 'From (inclusive)',
    'backfill.until': 'Until (exclusive)',
    'backfill.maxParallel': 'Max. unfinished tasks at once',
    'backfill.count': { one: 'One fire', other: '{n} fires' },
    'backfill.made': 'Created',
    'backfill.tasks': 'Tasks of backfills',
    'backfill.none': 'No backfills yet',
    'backfill.cancel': 'Stop backfill',
    'backfill.cancelPreview': 'No more tasks are created; existing ones go on.',
    'backfill.cancelled': 'Stopped',
    'backfillState.running': 'Running',
    'backfillState.done': 'Done',
    'backfillState.cancelled': 'Stopped',
  },
);
