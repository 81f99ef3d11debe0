import type { FormInstance } from 'antd';
import type { JobDetail } from '../../../../src/admin/contract/jobs.js';
import { BasicsFields } from './basics-fields';
import { CallbackFields } from './callback-fields';
import { ExecutionFields } from './execution-fields';
import type { JobForm } from './job-form';
import { TargetFields } from './target-fields';
import { TriggerFields } from './trigger-fields';

export interface EditorFieldsProps {
  form: FormInstance<JobForm>;
  values: JobForm;
  change: (change: Partial<JobForm>) => void;
  /** Null: it is not there yet. */
  job: JobDetail | null;
  /** The expression's weekday numbers may be counted in two ways. */
  asksWeekdays: boolean;
}

export function EditorFields(props: EditorFieldsProps) {
  return (
    <>
      <BasicsFields {...props} />
      <TriggerFields {...props} />
      <TargetFields {...props} />
      <ExecutionFields {...props} />
      <CallbackFields {...props} />
    </>
  );
}
