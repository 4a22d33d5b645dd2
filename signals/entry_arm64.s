//go:build entry

// What the kernel jumps to instead of the Go runtime: see entry.go, which says
// what each step is for. It may use any register but RSP, where the kernel has
// put the arguments.

#include "textflag.h"

#define SYS_rt_sigprocmask	135
#define SYS_write	64
#define SIGCHLD	17

TEXT ·entry(SB),NOSPLIT|NOFRAME,$0
	// 1. The mask, and the new one.
	MOVD	$2, R0 // SIG_SETMASK
	MOVD	$·heldAtEntry(SB), R1
	MOVD	$·blockedAtEntry(SB), R2
	MOVD	$8, R3
	MOVD	$SYS_rt_sigprocmask, R8
	SVC

	// 2. The runtime's table.
	MOVD	$·patient(SB), R19
patient:
	MOVD	0(R19), R4 // the place in the table
	CBZ	R4, done
	MOVD	$runtime·sigtable(SB), R5
	ADD	R4, R5, R5
	MOVWU	8(R19), R6 // flags
	MOVWU	0(R5), R7
	CMPW	R6, R7
	BNE	other
	MOVD	16(R19), R6 // length of the name
	MOVD	16(R5), R7
	CMP	R6, R7
	BNE	other
	MOVD	$1, R6 // _SigNotify
	MOVW	R6, 0(R5)
other:
	ADD	$24, R19, R19
	B	patient
done:
	// 3. The environment. RSP points at argc, argv, 0, envp, 0.
	MOVD	0(RSP), R4
	ADD	$16, RSP, R5
	ADD	R4<<3, R5, R5 // envp
	MOVD	0(R5), R6
	MOVD	R6, ·environAt(SB)
	MOVD	$·oneProcessor(SB), R6 // in place of the first variable
	MOVD	$0, R7 // how many
hide:
	MOVD	0(R5), R4
	CBZ	R4, hidden
	MOVD	R6, 0(R5)
	MOVD	$·nothing(SB), R6 // and of all others
	ADD	$8, R5
	ADD	$1, R7
	B	hide
hidden:
	MOVD	R7, ·environCount(SB)

	// 4. The handler's address, which Go code can't take.
	MOVD	$·handler(SB), R6
	MOVD	R6, ·handlerAt(SB)
	MOVD	$1, R6
	MOVD	R6, ·entered(SB)
	JMP	_rt0_arm64_linux(SB)

// The handler of signals, see subscribe.go. The signal is in R0; what it returns
// to is the kernel's, sigreturn(2).
TEXT ·handler(SB),NOSPLIT|NOFRAME,$0
	CMP	$SIGCHLD, R0
	BEQ	out // who waits is woken, and that is all
	SUB	$16, RSP
	MOVD	R0, (RSP)
	MOVD	RSP, R1
	MOVD	·sentEnd(SB), R0
	MOVD	$1, R2 // one byte, the lowest
	MOVD	$SYS_write, R8
	SVC
	MOVD	$1, R0 // SIG_UNBLOCK: CHLD has its turn behind each other signal
	MOVD	$·onlyChild(SB), R1
	MOVD	$0, R2
	MOVD	$8, R3
	MOVD	$SYS_rt_sigprocmask, R8
	SVC
	ADD	$16, RSP
out:
	RET
