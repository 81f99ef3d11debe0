import { memo } from 'react';

interface TickBoxProps {
  label: string;
  checked: boolean;
  /** Some of what it stands for is chosen. */
  partly?: boolean;
  onChange: (checked: boolean) => void;
}

/** The browser's own checkbox: a list has one in every row. */
export const TickBox = memo(function TickBox({ label, checked, partly = false, onChange }: TickBoxProps) {
  return (
    <input
      type="checkbox"
      className="tick-box"
      aria-label={label}
      checked={checked}
      ref={(box) => {
        if (box) box.indeterminate = partly;
      }}
      onChange={({ target }) => onChange(target.checked)}
    />
  );
});
