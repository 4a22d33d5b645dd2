#!/bin/sh
exec daemon
