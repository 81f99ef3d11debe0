import { Modal, type ModalProps } from 'antd';
import { useRef } from 'react';
import { useReturnFocus } from '../lib/return-focus';

const FIELDS = 'input:not([type="hidden"]):not(:disabled), textarea:not(:disabled)';

/**
 * The frame of everything that is asked or shown in front of a page; it is there as long as it is open. The first field has the focus
 * when it has opened, whatever the browser's motion, and whoever had it before gets it back afterwards.
 */
export function Dialog({ children, ...frame }: Omit<ModalProps, 'open' | 'afterOpenChange'>) {
  const body = useRef<HTMLDivElement>(null);
  useReturnFocus();
  // Only then: the dialog takes the focus itself when it has opened.
  const opened = (is: boolean) => is && body.current?.querySelector<HTMLElement>(FIELDS)?.focus();
  return (
    <Modal open {...frame} afterOpenChange={opened}>
      <div ref={body}>{children}</div>
    </Modal>
  );
}
