import { CheckOutlined, CopyOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useState } from 'react';
import { copyText } from '../lib/clipboard';
import { useT } from '../lib/i18n';

export function CopyButton({ text, what }: { text: string; what?: string }) {
  const t = useT();
  const [done, setDone] = useState(false);
  const label = done ? t('action.copied') : t('action.copy', { what: what ?? '' }).trim();
  return (
    <Button
      type="text"
      size="small"
      aria-label={label}
      title={label}
      icon={done ? <CheckOutlined /> : <CopyOutlined />}
      onClick={async (event) => {
        event.stopPropagation();
        setDone(await copyText(text));
        setTimeout(() => setDone(false), 1_500);
      }}
    />
  );
}
