import { Form, Input } from 'antd';
import { useT } from '../lib/i18n';

/** Why something is changed, for the audit log; nobody has to say it. */
export function ReasonField() {
  return (
    <Form.Item name="reason" label={useT()('action.reason')}>
      <Input maxLength={255} />
    </Form.Item>
  );
}
